/* The scripts of every lab page. */

import "./keys.js";
import "./palette.js";
import "./pictures.js";
import "../../arena/settled.js";
