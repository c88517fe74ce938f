{hits} ORDER BY f.episode_id DESC, f.index DESC LIMIT %(limit)s
