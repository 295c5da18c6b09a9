"""From the Court's judgments to facts, awards and validated targets (paper sections 3.2–3.4, A, B)."""
