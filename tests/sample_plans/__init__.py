"""Makes the files of the sample plans: `python -m tests.sample_plans.make_files`."""
