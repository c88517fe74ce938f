/* The scripts of a run's page. */

import "../shared/selection.js";
import "../shared/copy_link.js";
import "../grid/menus.js";
