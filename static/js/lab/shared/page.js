/* Every page of the lab. */

import "./keys.js";
import "./palette.js";
import "./pictures.js";
import "../../arena/settled.js";
