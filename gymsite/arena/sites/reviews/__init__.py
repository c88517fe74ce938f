"""The shop, whose products have hundreds of reviews each."""

from __future__ import annotations

from gymsite.arena.drawings.goods import drawing
from gymsite.arena.sites import pop_ups
from gymsite.arena.sites.reviews import _basket, _page, _reviews, _service, _shop
from gymsite.arena.sites.site import Site, route, sites
from tasks_app.worlds.reviews.plugin import open_world
from tasks_app.worlds.reviews.state import fold

sites.register(
    "reviews",
    Site(
        id="reviews",
        title="Goodwares",
        open_world=open_world,
        fold=fold,
        drawing=drawing,
        message_page=_page.message_page,
        urls=(
            route("", _shop.home),
            route("products/<str:product_id>", _shop.product_page),
            route("products/<str:product_id>/questions", _shop.questions_page),
            route("products/<str:product_id>/reviews", _reviews.review_list),
            route("products/<str:product_id>/reviews/<str:review_id>/helpful", _reviews.helpful),
            route("basket", _basket.basket_page),
            route("basket/add", _basket.basket_add),
            route("basket/set", _basket.basket_set),
            route("account", _service.account_page),
            route("help", _service.help_page),
            route("help/<str:topic>", _service.help_page),
            route("close/<str:name>", pop_ups.close),
        ),
    ),
)
