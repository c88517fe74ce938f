"""Flat illustrations by Pillow: what there is to draw is named by ``tasks_app/worlds/<site>/pictures.py``."""
