"""What exports have of annotation: kinds of files of a project, and labels that choose steps."""
