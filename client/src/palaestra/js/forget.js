// Runs once, before any script of an episode's first document: removes what the previous episode left in this tab.
// IndexedDB, caches, cookies and service workers are cleared from outside; these three reliably only from here.
"use strict";
window.name = "";
try { sessionStorage.clear(); localStorage.clear(); } catch { /* an opaque origin has no storage */ }
