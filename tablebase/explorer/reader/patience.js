// Hosts that are busy: they say when to ask again, and perhaps what they do until then.

const LONGEST = 60; // seconds to wait for the next try; whoever names more does not expect one
const LATER = 503;
const TRIES = 20; // of a host, by whoever is not told what it does

/** Return the seconds after which an answer wants to be asked for again, null if it does not. */
function waitOf(response) {
  const told = response.headers.get("retry-after");
  const isLater = response.status === LATER && /^\d+$/.test(told ?? "") && Number(told) <= LONGEST;
  return isLater ? Number(told) : null;
}

/** Wait for some seconds, or reject with the reason of a signal. */
function pause(seconds, signal) {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, 1000 * seconds);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

/** Return an answer that is not put off: ask again while a host tells when.
 *
 * @param {() => Promise<Response>} ask
 * @param {AbortSignal} [signal] ends the waiting, with its reason
 * @param {(words: string) => void} [tell] takes each time what the host says it does; without it the
 *   number of tries is limited
 */
export async function patiently(ask, signal, tell) {
  for (let tries = 1; ; tries += 1) {
    const response = await ask();
    const seconds = waitOf(response);
    if (seconds === null || (!tell && tries === TRIES)) return response;
    const words = await response.text();
    tell?.(words);
    await pause(seconds, signal);
  }
}
