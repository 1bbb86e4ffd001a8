import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo';
import { type GraphQLFieldResolver, type GraphQLSchema, isObjectType } from 'graphql';

type Resolver = GraphQLFieldResolver<unknown, unknown>;
type ResolversOfType = Record<string, Resolver | { resolve?: Resolver; subscribe?: Resolver }>;

/** The parts of Nest's `GraphQLFactory` that `generateSchema` needs. */
interface SchemaParts {
  resolversExplorerService: { explore(): Record<string, ResolversOfType>; getAllCtors(): unknown[] };
  gqlSchemaBuilder: { build(file: unknown, options: ApolloDriverConfig, resolvers: unknown[]): Promise<GraphQLSchema> };
}

/**
 * Makes the schema once, from the decorators, and adds the resolvers to it. Nest also prints and parses it, then copies it
 * three times, with the same result: two thirds of the time.
 */
export class SingleSchemaDriver extends ApolloDriver {
  override async generateSchema(options: ApolloDriverConfig): Promise<GraphQLSchema> {
    const { resolversExplorerService, gqlSchemaBuilder } = this.graphQlFactory as unknown as SchemaParts;
    const resolvers = resolversExplorerService.explore();
    const schema = await gqlSchemaBuilder.build(
      options.autoSchemaFile,
      options,
      resolversExplorerService.getAllCtors(),
    );
    for (const [type, resolversOfType] of Object.entries(resolvers)) addResolvers(schema, type, resolversOfType);
    return (await options.transformSchema?.(schema)) ?? schema;
  }
}

function addResolvers(schema: GraphQLSchema, typeName: string, resolvers: ResolversOfType): void {
  const type = schema.getType(typeName);
  if (!isObjectType(type)) throw new Error(`Resolvers of ${typeName}: only object types have resolvers here.`);
  const fields = type.getFields();
  for (const [name, resolver] of Object.entries(resolvers))
    Object.assign(fields[name], typeof resolver === 'function' ? { resolve: resolver } : resolver);
}
