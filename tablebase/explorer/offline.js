// The service worker of published pages: they open without a network once they have been opened.
//
// `tablebase publish` writes PAGES, the addresses of all files of the pages, and VERSION, which
// differs if one of them does, before this text. Tables are here only if a person keeps them, see
// keeping.js; what is kept of them is in the cache TABLES.
/* global VERSION, PAGES */

const SCOPE = self.registration.scope;
const PAGES_CACHE = `pages ${VERSION} ${SCOPE}`;
const TABLES_CACHE = `tables ${SCOPE}`;
const LISTS = ["tables.json", "summaries.json", "numbering.json"]; // of what is published

async function keepPages() {
  const cache = await caches.open(PAGES_CACHE);
  // Past the browser's own cache, which may have pages of another version.
  await Promise.all(PAGES.map(async (name) => {
    const address = new URL(name, SCOPE).href;
    const response = await fetch(address, { cache: "reload" });
    if (!response.ok) throw new Error(`${address}: status ${response.status}`);
    // A copy, since browsers show no page that came by a redirection.
    await cache.put(address, new Response(await response.blob(), { headers: response.headers }));
  }));
  await self.skipWaiting();
}

/** Drop the pages of other versions. */
async function dropOtherVersions() {
  const isOther = (name) => name.startsWith("pages ") && name.endsWith(` ${SCOPE}`) && name !== PAGES_CACHE;
  await Promise.all((await caches.keys()).filter(isOther).map((name) => caches.delete(name)));
  await self.clients.claim();
}

self.addEventListener("install", (event) => event.waitUntil(keepPages()));
self.addEventListener("activate", (event) => event.waitUntil(dropOtherVersions()));

/** Return the address of a page's file: a folder stands for its index, a query names a position. */
function pageOf(url) {
  const address = `${url.origin}${url.pathname}`;
  return address.startsWith(SCOPE) && address.endsWith("/") ? `${address}index.html` : address;
}

/** Return the range of a request as the answer that a host gives. */
async function rangeOf(response, header) {
  const whole = await response.blob();
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(header) ?? [];
  if (first === undefined) return new Response(whole, { headers: response.headers });
  const end = Math.min(Number(last) + 1, whole.size);
  const part = whole.slice(Number(first), end);
  if (!part.size) return new Response(null, { status: 416 });
  return new Response(part, {
    status: 206,
    headers: { "content-range": `bytes ${first}-${end - 1}/${whole.size}`, "content-length": String(part.size) },
  });
}

async function fromTables(request) {
  const range = request.headers.get("range");
  const kept = await caches.match(request.url, { cacheName: TABLES_CACHE, ignoreVary: true });
  if (!kept) return null;
  return range ? rangeOf(kept, range) : kept;
}

async function answer(request, url) {
  const page = await caches.match(pageOf(url), { cacheName: PAGES_CACHE, ignoreVary: true });
  if (page) return page;
  // The network comes first for lists, and where keeping.js looks whether a table is another one.
  if (request.cache === "reload" || LISTS.includes(url.pathname.split("/").at(-1))) {
    try {
      const response = await fetch(request);
      if (response.ok) return response;
    } catch {
      // Then what is kept is all that there is.
    }
  }
  return (await fromTables(request)) ?? fetch(request);
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method === "GET") event.respondWith(answer(request, new URL(request.url)));
});
