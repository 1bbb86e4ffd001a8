import { cacheExchange, Client, fetchExchange } from 'urql';
import { fetchSignedIn } from './session.ts';

/** The session's cookie goes along by itself. Lists and details are asked anew after each change of one of their types. */
export const client = new Client({
  url: '/graphql',
  preferGetMethod: false,
  exchanges: [cacheExchange, fetchExchange],
  fetch: fetchSignedIn,
  requestPolicy: 'cache-and-network',
});
