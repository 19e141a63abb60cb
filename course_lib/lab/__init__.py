"""What `course lab` is made of: the learner's copies of the lessons, and JupyterLab set up for them."""
