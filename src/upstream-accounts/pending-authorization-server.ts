import { Field, GraphQLISODateTime, ObjectType } from '@nestjs/graphql';

@ObjectType({
  description:
    'An authorization server that the server of a connection names and no administrator has confirmed. New sign-ins are blocked until an administrator confirms it on the page where accounts are connected.',
})
export class PendingAuthorizationServer {
  @Field()
  issuer: string;

  @Field({ description: 'The page that people would be sent to.' })
  authorizationEndpoint: string;

  @Field(() => String, { nullable: true, description: 'The issuer that an administrator confirmed before.' })
  confirmedIssuer: string | null;

  @Field(() => GraphQLISODateTime, { description: 'When a person tried to connect an account and was blocked.' })
  foundAt: Date;
}
