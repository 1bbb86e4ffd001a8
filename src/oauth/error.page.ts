import type { ErrorOut, KoaContextWithOIDC } from 'oidc-provider';
import { html, renderPage, pageHeaders, type PageContent, renderMarkedText } from '../platform/http/page.js';

type Context = Pick<KoaContextWithOIDC, 'path' | 'set' | 'body' | 'type'>;

/**
 * Refusals that cannot be sent back to the product: a page, never a redirect to an address that nobody vouches for. Where
 * programs ask they get JSON, whatever they say that they accept.
 */
export function renderError(ctx: Context, out: ErrorOut): void {
  if (!ctx.path.startsWith('/oauth2/authorize')) {
    ctx.body = out;
    return;
  }
  ctx.set(pageHeaders());
  ctx.type = 'html';
  ctx.body = renderPage(errorPage(out)).toString();
}

const errorPage = ({ error, error_description: detail }: ErrorOut): PageContent => {
  const { title, advice } = words[error] ?? words.invalid_request;
  return {
    title,
    body: html`<p>${advice}</p>
      <p>
        <small
          >For whoever looks after the product:
          <code>${error}</code>${detail && html`, ${renderMarkedText(detail)}`}.</small
        >
      </p>`,
  };
};

const words: Record<string, { title: string; advice: string }> = {
  invalid_client: {
    title: 'This product is not known here',
    advice:
      'The product that sent you is not registered with an organization on this server, or an administrator has switched it off. Nothing was given to it. If you expected it to work, ask your administrator.',
  },
  invalid_redirect_uri: {
    title: 'The way back is not right',
    advice:
      'The product wants you to be sent to an address that is not registered for it. You were not sent there, and nothing was given to it. Whoever looks after the product has to register the exact address.',
  },
  invalid_request: {
    title: 'This request cannot be answered',
    advice:
      'The link or form that brought you here is incomplete, too old, or was opened twice. Go back to the product and start again. Nothing was given to it.',
  },
  temporarily_unavailable: {
    title: 'Not now',
    advice:
      'An administrator has stopped everything that products do for this organization, or too many requests came from your network. Try again later.',
  },
  server_error: {
    title: 'Something went wrong on our side',
    advice: 'The request could not be finished. Go back to the product and start again.',
  },
};
