"""Flat illustrations, drawn with Pillow. Their names are in ``tasks_app/worlds/<site>/pictures.py``."""
