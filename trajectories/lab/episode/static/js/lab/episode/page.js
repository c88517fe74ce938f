/* The scripts of an episode's page. */

import "../shared/bookmark.js";
import "./frames.js";
