/*
 * A session may end while somebody types. What was asked then waits, with everything typed still on the screen, until the
 * same person has signed in again; then it is asked once more.
 */

type Listener = () => void;

let waiting: Promise<void> | undefined;
let goOn: (() => void) | undefined;
const listeners = new Set<Listener>();

const tell = () => listeners.forEach((listener) => listener());

export const session = {
  hasEnded: (): boolean => waiting !== undefined,
  subscribe(listener: Listener): () => void {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
  /** Resolves once somebody is signed in. */
  ended(): Promise<void> {
    if (!waiting) {
      waiting = new Promise((resolve) => (goOn = resolve));
      tell();
    }
    return waiting;
  },
  isBack(): void {
    goOn?.();
    waiting = undefined;
    tell();
  },
};

/** `fetch` for the API: an answer that says "not signed in" is not passed on; the request waits and is sent again. */
export async function fetchSignedIn(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  for (;;) {
    const response = await fetch(input, init);
    const text = await response.text();
    if (!isSignedOut(response, text)) return new Response(text, response);
    await session.ended();
  }
}

function isSignedOut(response: Response, text: string): boolean {
  if (response.status === 401) return true;
  if (!text.includes('"unauthenticated"')) return false;
  const { errors } = JSON.parse(text) as { errors?: { extensions?: { code?: string } }[] };
  return errors?.some(({ extensions }) => extensions?.code === 'unauthenticated') ?? false;
}
