// Runs once, before any script of an episode's first document: removes what the previous episode left in this tab.
// IndexedDB, caches, cookies and service workers are cleared from outside; what is cleared below can only be cleared
// reliably from inside the page.
"use strict";
window.name = "";
try { sessionStorage.clear(); localStorage.clear(); } catch { /* an opaque origin has no storage */ }
