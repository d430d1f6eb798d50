"""A live Jupyter kernel that runs the model's code, with the user's consent."""
