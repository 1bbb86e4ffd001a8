import type { ApolloServerPlugin } from '@apollo/server';
import {
  defaultFieldResolver,
  getNamedType,
  getNullableType,
  GraphQLError,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  isListType,
  isObjectType,
} from 'graphql';
import { invalidRequest } from '../errors/general.error.js';

/** Fields that one request may resolve. Each one takes a few microseconds on the event loop that all requests share. */
export const maxResultFields = 50_000;

/** The context of a request. */
interface FieldCounter {
  resolvedFieldCount?: number;
}

/**
 * Counts the fields that a request resolves, and fails those beyond the budget: the size of lists without pages is not
 * visible in the query. A list that cannot fit fails as a whole, so that its rows are not executed.
 *
 * Fields fail asynchronously. If one threw, graphql-js would abandon the rows before it, and their rejections, which no
 * one handles, would end the process.
 */
export function limitResultFields(schema: GraphQLSchema, maxFields = maxResultFields): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields())) {
      const resolve = field.resolve ?? defaultFieldResolver;
      const isListOfObjects = isListType(getNullableType(field.type)) && isObjectType(getNamedType(field.type));
      field.resolve = (source, args, context: FieldCounter, info) => {
        context.resolvedFieldCount = (context.resolvedFieldCount ?? 0) + 1;
        if (context.resolvedFieldCount > maxFields) return Promise.reject(resultTooLarge);
        const value: unknown = resolve(source, args, context, info);
        if (!isListOfObjects) return value;
        const check = (rows: unknown) => {
          if (!Array.isArray(rows)) return rows;
          const count = context.resolvedFieldCount! + rows.length * selectedFieldCount(info);
          if (count <= maxFields) return rows;
          context.resolvedFieldCount = count;
          return Promise.reject(resultTooLarge);
        };
        return value instanceof Promise ? value.then(check) : check(value);
      };
    }
  }
  return schema;
}

/** A fragment counts as one field: it has at least one. */
const selectedFieldCount = ({ fieldNodes }: GraphQLResolveInfo): number =>
  fieldNodes.reduce((sum, { selectionSet }) => sum + (selectionSet?.selections.length ?? 0), 0);

/** Answers a request that exceeded the budget with one error. */
export const resultBudget = (maxFields = maxResultFields): ApolloServerPlugin<FieldCounter> => ({
  async requestDidStart() {
    return {
      async willSendResponse({ response, operation, contextValue }) {
        if ((contextValue.resolvedFieldCount ?? 0) <= maxFields || response.body.kind !== 'single') return;
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
