import type { ApolloDriverConfig } from '@nestjs/apollo';
import { GraphQLModule } from '@nestjs/graphql';
import type { Request, Response } from 'express';
import { LogService } from '../telemetry/log.service.js';
import { formatError } from './format-error.js';
import { documentLimits } from './limits.js';
import { limitResultFields, resultBudget } from './result-budget.js';
import { SingleSchemaDriver } from './single-schema.driver.js';

/**
 * The administration API, code-first. Guards of the handlers check permissions. Requests have already passed
 * `guardGraphql`: they are authenticated, and their document is within the limits.
 */
export const AdministrationGraphQL = (schemaFile: string | true = true) =>
  GraphQLModule.forRootAsync<ApolloDriverConfig>({
    driver: SingleSchemaDriver,
    inject: [LogService],
    useFactory: (log: LogService) => ({
      path: '/graphql',
      autoSchemaFile: schemaFile,
      sortSchema: true,
      buildSchemaOptions: { skipCheck: true }, // Apollo Server checks the schema
      introspection: true,
      transformSchema: (schema) => limitResultFields(schema),
      plugins: [resultBudget()],
      persistedQueries: false, // a hash in place of the query would bypass the limits
      parseOptions: { maxTokens: documentLimits.tokens },
      validationOptions: { maxErrors: 10 },
      graphiql: false,
      playground: false,
      csrfPrevention: true,
      fieldResolverEnhancers: ['guards'], // without this, permissions of fields would have no effect
      context: ({ req, res }: { req: Request; res: Response }) => ({ req, res }),
      formatError: formatError(log),
      includeStacktraceInErrorResponses: false,
    }),
  });
