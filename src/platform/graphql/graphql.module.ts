import type { ApolloServerPlugin } from '@apollo/server';
import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo';
import { GraphQLModule } from '@nestjs/graphql';
import type { Request, Response } from 'express';
import { Log } from '../telemetry/log.service.js';
import { formatError } from './format-error.js';
import { queryLimits } from './limits.js';

/** Administration, code-first. The guards of the handlers decide who may; `plugins` what guards cannot stand before. */
export const AdministrationGraphQL = (plugins: ApolloServerPlugin[], schemaFile: string | true = true) =>
  GraphQLModule.forRootAsync<ApolloDriverConfig>({
    driver: ApolloDriver,
    inject: [Log],
    useFactory: (log: Log) => ({
      path: '/graphql',
      autoSchemaFile: schemaFile,
      sortSchema: true,
      introspection: true,
      plugins: [queryLimits, ...plugins],
      graphiql: false,
      playground: false,
      csrfPrevention: true,
      fieldResolverEnhancers: ['guards'], // else a permission beside a field would guard nothing
      context: ({ req, res }: { req: Request; res: Response }) => ({ req, res }),
      formatError: formatError(log),
      includeStacktraceInErrorResponses: false,
    }),
  });
