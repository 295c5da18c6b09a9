"""A readable baseline: median regression with statsmodels, whose coefficients a table can show."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd

from lib.systems.trees import years

STATES = 12
FEWEST = 20  # a column in which fewer training cases differ from the rest has no coefficient
ARTICLES = ("2", "3", "5", "6", "8", "10", "11", "13", "14", "P1-1")


class MedianRegression:
    """Linear quantile regression of log1p(y) at the median (Koenker and Bassett 1978).

    A coefficient β means that, the other columns equal, the typical award (plus €1) is multiplied
    by exp(β). The states with most training cases have a column each; the others are the reference.
    """

    def fit(self, X: pd.DataFrame, y: np.ndarray) -> MedianRegression:
        """Fit on training cases: the 20 public predictors, shape (n, 20), and awards in euros."""
        import statsmodels.api as sm
        from statsmodels.tools.sm_exceptions import IterationLimitWarning

        self.states_ = sorted(X["country_alpha2"].value_counts().index[:STATES])
        self.last_year_ = float(years(X).max())
        self.medians_ = self._design(X).median()
        design = self._design(X).fillna(self.medians_)
        differing = {name: len(design) - design[name].value_counts().iloc[0] for name in design}
        self.names_ = [n for n in design if n == "constant" or differing[n] >= FEWEST]
        model = sm.QuantReg(np.log1p(np.asarray(y, float)), design[self.names_])
        with warnings.catch_warnings():
            # a small fold, such as the stack's on the demo, may end at the last iteration, where
            # the coefficients circle; nobody could act on the warning
            warnings.simplefilter("ignore", IterationLimitWarning)
            fitted = model.fit(q=0.5, max_iter=1000, p_tol=1e-5)
        bounds = fitted.conf_int()
        self.coefficients_ = pd.DataFrame(
            {
                "coefficient": fitted.params,
                "low": bounds[0],
                "high": bounds[1],
                "p": fitted.pvalues,
            }
        ).rename_axis("term")
        return self

    def predict(self, X: pd.DataFrame) -> np.ndarray:
        """Awards in euros, shape (n,), none below 0."""
        design = self._design(X).fillna(self.medians_)[self.names_]
        fitted = design.to_numpy(float) @ self.coefficients_["coefficient"].to_numpy()
        return np.expm1(np.clip(fitted, 0, None))

    def report(self) -> dict[str, Any]:
        """What the card records of the fit: the coefficients with their 95% intervals."""
        rows = self.coefficients_.round(6).reset_index().to_dict("records")
        return {"coefficients": rows}

    def _design(self, X: pd.DataFrame) -> pd.DataFrame:
        is_in = {"yes": 1.0, "no": 0.0}
        columns = {
            "constant": 1.0,
            "years after the last training case": years(X) - self.last_year_,
            "applicants (log)": np.log(X["num_applicants"].clip(lower=1)),
            "applications (log)": np.log(X["hudoc_application_count"].clip(lower=1)),
            "violations found (log)": np.log(X["num_violations_found"].clip(lower=1)),
            "duration of the violation (log years)": np.log(
                X["violation_duration_months"].clip(lower=1) / 12
            ),
            "duration unknown": X["violation_duration_months"].isna().astype(float),
            "GDP per capita (log)": X["log1p_gdp_per_capita"],
            "separate opinion": X["has_separate_opinion"].map(is_in).fillna(0),
            "represented": X["represented"].map(is_in).fillna(0),
            "committee": (X["hudoc_decision_body"] == "COMMITTEE").astype(float),
            "Grand Chamber": (X["hudoc_decision_body"] == "GRANDCHAMBER").astype(float),
            "key case or high importance": X["case_importance"]
            .isin(["key_case", "high"])
            .astype(float),
            "substantive and procedural": (X["violation_type"] == "both").astype(float),
            "procedural only": (X["violation_type"] == "procedural").astype(float),
            "a woman among the applicants": X["applicant_sex"].str.contains("female").astype(float),
            "sex unknown": (X["applicant_sex"] == "unknown").astype(float),
            "a child among the applicants": X["applicant_age_group"]
            .str.contains("child")
            .astype(float),
            "age unknown": (X["applicant_age_group"] == "unknown").astype(float),
        }
        flags = ";" + X["violated_articles"] + ";"
        for code in ARTICLES:
            columns[f"Article {code}"] = flags.str.contains(f";{code};", regex=False).astype(float)
        for state in self.states_:
            columns[f"state {state.upper()}"] = (X["country_alpha2"] == state).astype(float)
        return pd.DataFrame(columns, index=X.index)
