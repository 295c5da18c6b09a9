"""Systems: each is fitted on train, predicts, and is written as a prediction file with its card."""
