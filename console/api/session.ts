/*
 * A session may end while a form is open. Requests then wait, and the form stays on the screen, until the same person has
 * signed in again. The requests are then sent again.
 */

type Listener = () => void;

let signedIn: Promise<void> | undefined;
let resolveSignedIn: (() => void) | undefined;
const listeners = new Set<Listener>();

const notify = () => listeners.forEach((listener) => listener());

export const session = {
  hasEnded: (): boolean => signedIn !== undefined,
  subscribe(listener: Listener): () => void {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
  /** Marks the session as ended. Resolves when somebody has signed in. */
  ended(): Promise<void> {
    if (!signedIn) {
      signedIn = new Promise((resolve) => (resolveSignedIn = resolve));
      notify();
    }
    return signedIn;
  },
  resume(): void {
    resolveSignedIn?.();
    signedIn = undefined;
    notify();
  },
};

/** `fetch` for the API. A request that is answered with "not signed in" waits for a sign-in and is sent again. */
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
