// Runs once, before any script of an episode's first document: what the episode before left in this tab is gone.
// IndexedDB, caches, cookies and service workers are cleared from outside, these three only reliably from here.
"use strict";
window.name = "";
try { sessionStorage.clear(); localStorage.clear(); } catch { /* an opaque origin has no storage */ }
