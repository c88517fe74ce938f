/* The scripts of a page with a list. */

import "../shared/selection.js";
import "../shared/htmx_errors.js";
import "../shared/copy_link.js";
import "./peek.js";
import "./menus.js";
import "./views.js";
