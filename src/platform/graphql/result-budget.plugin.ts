import type { ApolloServerPlugin } from '@apollo/server';
import { GraphQLError } from 'graphql';
import { invalidRequest } from '../errors/general.error.js';

/** Fields that one request may resolve. A field costs a few microseconds of the event loop that all requests share. */
export const maxResultFields = 50_000;

/** Lists without pages have no bound that the query shows. This ends a request whose result grows beyond the budget. */
export const resultBudget = (most = maxResultFields): ApolloServerPlugin => ({
  async requestDidStart() {
    let fields = 0;
    return {
      async executionDidStart() {
        return {
          willResolveField() {
            if (++fields > most) throw resultTooLarge;
          },
        };
      },
      async willSendResponse({ response, operation }) {
        if (fields <= most || response.body.kind !== 'single') return;
        const done = operation?.operation === 'mutation' ? 'The change was made, but its' : 'The';
        const { code, title, message } = invalidRequest(
          `${done} result has more than ${most} fields. Ask for fewer fields, or for shorter pages.`,
        );
        response.http.status = 400;
        response.body.singleResult = { errors: [{ message, extensions: { code, title } }] };
      },
    };
  },
});

// one for all fields: a stack trace for each would cost more than the fields
const resultTooLarge = new GraphQLError('The result is too large.', { extensions: { code: invalidRequest.code } });
