"""Lets Optuna search times that are known already: one search for each seed. Run by bench/tuner in Optuna's own environment.

Input: a JSON object with `axes` (values by name), `grid` (`choice` and `seconds`, null of a run that failed; the first is the job as it is) and
`seeds`. Output: by seed, the indexes of the grid in the order of the trials, of which there are twice as many as combinations.
"""

import json
import sys

import optuna


def main() -> None:
    """The search that Optuna does by default: a tree-structured Parzen estimator, which begins with 10 random trials."""
    asked = json.load(sys.stdin)
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    names = list(asked["axes"])
    places = {
        tuple(each["choice"][name] for name in names): place for place, each in enumerate(asked["grid"])
    }
    found = []
    for seed in range(asked["seeds"]):
        tried: list[int] = []

        def objective(trial: optuna.Trial, tried: list[int] = tried) -> float:
            values = tuple(trial.suggest_categorical(name, asked["axes"][name]) for name in names)
            place = places[values]
            tried.append(place)
            seconds = asked["grid"][place]["seconds"]
            if seconds is None:
                raise optuna.TrialPruned
            return float(seconds)

        study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
        study.enqueue_trial(asked["grid"][0]["choice"])
        study.optimize(objective, n_trials=2 * len(places))
        found.append(tried)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
