/* The page of a run. */

import "../shared/selection.js";
import "../shared/copy_link.js";
import "../grid/menus.js";
