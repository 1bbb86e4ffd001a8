import { cacheExchange, Client, fetchExchange } from 'urql';
import { fetchSignedIn } from './session.ts';

/** The browser sends the session cookie. A mutation refetches every query whose types its result contains. */
export const client = new Client({
  url: '/graphql',
  preferGetMethod: false,
  exchanges: [cacheExchange, fetchExchange],
  fetch: fetchSignedIn,
  requestPolicy: 'cache-and-network',
});
