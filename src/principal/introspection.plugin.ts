import type { ApolloServerPlugin } from '@apollo/server';
import type { Request } from 'express';
import { forbidden } from '../platform/errors/general.error.js';
import { authenticate } from './credential.guard.js';

/** Introspection has no resolver that a guard could stand before: only who manages the organization may look. */
export const introspectionForAdmins: ApolloServerPlugin = {
  async requestDidStart() {
    return {
      async didResolveOperation({ operation, contextValue }) {
        const asks = operation?.selectionSet.selections.some(
          (node) => node.kind === 'Field' && node.name.value.startsWith('__') && node.name.value !== '__typename',
        );
        if (!asks) return;
        const principal = await authenticate((contextValue as { req: Request }).req, ['session', 'admin-token']);
        if (!principal.permissions.has('organization:manage')) throw forbidden('Introspection is for administrators.');
      },
    };
  },
};
