"""Flat illustrations, drawn with Pillow; ``tasks_app/worlds/<site>/pictures.py`` names them."""
