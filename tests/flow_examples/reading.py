"""How the ids are read from a config."""
from __future__ import annotations

from small_engine import KEY

from .example import BOX, Example


def read(code: str, also: str = "", cut: tuple[str, str] = ("THE_KEY", "other_key")) -> Example:
    return Example("read", code.replace(cut[0], KEY), (KEY, cut[1]), also.replace(cut[0], KEY))


READING = {
    "by subscript": read("ids = config['THE_KEY']"),
    "by attribute": read("ids = config.THE_KEY"),
    "by get": read("ids = config.get('THE_KEY')"),
    "by get with a default": read("ids = config.get('THE_KEY', [1, 2])"),
    "by getattr": read("ids = getattr(config, 'THE_KEY')"),
    "by getattr with a default": read("ids = getattr(config, 'THE_KEY', None)"),
    "in a table of the config": read("ids = config.eagle_config['THE_KEY']"),
    "in a table that may be missing": read("""
        eagle = getattr(config, 'eagle_config', None) or {}
        ids = eagle.get('THE_KEY')
    """),
    "in a table with a default": read("ids = getattr(config, 'eagle_config', {}).get('THE_KEY', None)"),
    "by a constant of the module": read("ids = getattr(config, IDS_KEY, None)", "IDS_KEY = 'THE_KEY'"),
    "by a variable": read("""
        wanted = 'THE_KEY'
        ids = config[wanted]
    """),
    "by a key that is put together": read("ids = config['THE_KEY' + '']"),
    "by one of several names": read("""
        for wanted in ('layer_ids', 'THE_KEY'):
            ids = getattr(config, wanted, None)
    """),
    "by a parameter": read("ids = look_up(config, 'THE_KEY')", "def look_up(config, key):\n    return getattr(config, key, None)"),
    "in a helper": read("ids = look_up(config)", "def look_up(config):\n    return config.THE_KEY"),
    "in a method": read("ids = self.look_up(config)", "    def look_up(self, config):\n        return config.THE_KEY"),
    "where a missing key raises": read("""
        try:
            ids = config['THE_KEY']
        except KeyError:
            ids = None
    """),
    "where a handler looks": read("""
        try:
            ids = config.layer_ids
        except AttributeError:
            ids = config.THE_KEY
    """),
    "where it is asked for first": read("ids = config.THE_KEY if hasattr(config, 'THE_KEY') else None"),
    "where it is looked for first": read("""
        ids = None
        if 'THE_KEY' in config:
            ids = config['THE_KEY']
    """),
    "in a walrus": read("""
        if (ids := config.get('THE_KEY')) is None:
            ids = [1]
    """),
    "into a structure": read("""
        box = Box(config.THE_KEY)
        ids = box.ids
    """, BOX),
    "from a file": read("""
        import json
        with open(self.server_args.speculative_draft_model_path + '/config.json') as file:
            config = json.load(file)
        ids = config['THE_KEY']
    """),
    "from the config as a dict": read("ids = config.to_dict()['THE_KEY']"),
    "from the dict below": read("ids = vars(config).get('THE_KEY')"),
    "from a list of the config's": read("ids = list(config.THE_KEY)"),
    "in an object that keeps the config": read("""
        box = Box(config)
        ids = box.ids.THE_KEY
    """, BOX),
    "in the constructor of an object": read("""
        settings = Settings(config)
        ids = settings.layers
    """, "class Settings:\n    def __init__(self, config):\n        self.config = config\n"
        "        self.layers = getattr(self.config, 'THE_KEY', None)"),
    "in a property of an object": read("ids = Settings(config).layers",
        "class Settings:\n    def __init__(self, config):\n        self.config = config\n\n"
        "    @property\n    def layers(self):\n        return self.config.THE_KEY"),
    "by a chain of defaults": read("ids = getattr(config, 'layer_ids', None) or getattr(config, 'THE_KEY', None) or [1]"),
    "by a default of a default": read("ids = config.get('layer_ids', config.get('THE_KEY'))"),
    "one of two configs": read("""
        one = config.first if self.server_args.flag else config.second
        ids = one.THE_KEY
    """),
    "of a sub-config that is an attribute": read("ids = config.text_config.eagle_config.THE_KEY"),
    "in an f-string": read("""
        prefix = 'THE_KEY'
        ids = config[f'{prefix}']
    """),
    "where the key is a class's constant": read("ids = getattr(config, Keys.IDS, None)", "class Keys:\n    IDS = 'THE_KEY'"),
    "in a loop over what there is": read("""
        for name, value in config.items():
            if name == 'THE_KEY':
                ids = value
    """),
    "where the flow's algorithm is launched": Example("read", f"""
        ids = None
        if self.server_args.speculative_algorithm == 'EAGLE3':
            ids = config.{KEY}
    """, ("'EAGLE3'", "'NGRAM'")),
    "where one of several algorithms is launched": Example("read", f"""
        ids = None
        if self.server_args.speculative_algorithm in ['EAGLE3', 'STANDALONE']:
            ids = config.{KEY}
    """, ("'EAGLE3', ", "")),
}  # fmt: skip
