from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError

from gymsite.services import preparation
from trajectories.lab.login.attempts import name_clean


class Command(BaseCommand):
    help = "Create a login for the lab; prints only its random password on standard output."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--name", required=True)
        role = parser.add_mutually_exclusive_group()
        role.add_argument("--superuser", action="store_true", help="may do everything in the lab")
        role.add_argument("--annotator", action="store_true", help="may only label assigned units")
        role.add_argument(
            "--adjudicator", action="store_true", help="may also settle disagreements between annotators"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        name = name_clean(options["name"])
        if not name:
            raise CommandError("A name needs at least one character other than a space.")
        if get_user_model().objects.filter(username=name).exists():
            raise CommandError(f"There is already a login {name!r}: choose another name.")
        password = preparation.login_create(
            name=name,
            is_superuser=options["superuser"],
            is_annotator=options["annotator"],
            is_adjudicator=options["adjudicator"],
        )
        self.stdout.write(password)
