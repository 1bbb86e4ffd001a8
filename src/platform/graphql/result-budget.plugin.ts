import type { ApolloServerPlugin } from '@apollo/server';
import { GraphQLError } from 'graphql';
import { invalidRequest } from '../errors/general.error.js';

/** Fields that one request may resolve. Each one takes a few microseconds on the event loop that all requests share. */
export const maxResultFields = 50_000;

/**
 * The size of lists without pages is not visible in the query. This aborts a request whose result exceeds the budget.
 */
export const resultBudget = (maxFields = maxResultFields): ApolloServerPlugin => ({
  async requestDidStart() {
    let fields = 0;
    return {
      async executionDidStart() {
        return {
          willResolveField() {
            if (++fields > maxFields) throw resultTooLarge;
          },
        };
      },
      async willSendResponse({ response, operation }) {
        if (fields <= maxFields || response.body.kind !== 'single') return;
        const done = operation?.operation === 'mutation' ? 'The change was made, but its' : 'The';
        const { code, title, message } = invalidRequest(
          `${done} result has more than ${maxFields} fields. Use fewer fields or smaller pages.`,
        );
        response.http.status = 400;
        response.body.singleResult = { errors: [{ message, extensions: { code, title } }] };
      },
    };
  },
});

// one instance for all fields: a stack trace for each would cost more than the fields
const resultTooLarge = new GraphQLError('The result is too large.', { extensions: { code: invalidRequest.code } });
