/* The scripts of a step's page, in the order in which they receive events. */

import "./viewer.js";
import "./views.js";
import "./tabs.js";
import "./list.js";
import "./playback.js";
import "./scrubber.js";
import "./find.js";
import "./marks.js";
import "./picture_diff.js";
import "./replay.js";
import "./fidelity.js";
import "../shared/bookmark.js";
import "../shared/copy_link.js";
