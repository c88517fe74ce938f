"""Verifiers that take longer to import than a verification may take. Imported in children only."""

import time

time.sleep(1)
