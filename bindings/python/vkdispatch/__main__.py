"""`python -m vkdispatch`."""

from .cli import cli_entrypoint

if __name__ == "__main__":
    cli_entrypoint()
