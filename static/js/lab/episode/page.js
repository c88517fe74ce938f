/* The page of an episode. */

import "../shared/bookmark.js";
import "./frames.js";
