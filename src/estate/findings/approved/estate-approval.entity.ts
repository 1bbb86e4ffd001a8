import { Field, GraphQLISODateTime, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { approvedKinds, type ApprovedKind } from './approved-list.js';

export const ApprovedKindEnum = Object.fromEntries(approvedKinds.map((kind) => [kind, kind])) as Record<
  ApprovedKind,
  ApprovedKind
>;
registerEnumType(ApprovedKindEnum, {
  name: 'EstateApprovalKind',
  description: 'How servers are approved.',
  valuesMap: {
    package: { description: 'All servers that run a package, in any version: "npm:@scope/name".' },
    host: { description: 'All servers at a host: "tools.example.com", "*.example.com".' },
    definition: { description: 'Exactly one definition, by its hash. Any change has to be approved again.' },
  },
});

@ObjectType({ description: 'An approval on the list of servers that assistants may use.' })
export class EstateApproval {
  @Field(() => ID)
  id: string;

  @Field(() => ApprovedKindEnum)
  kind: ApprovedKind;

  @Field({ description: 'The package, the host or the hash, normalized.' })
  value: string;

  @Field(() => ID, { nullable: true, description: 'The server whose definition is approved.' })
  serverId: string | null;

  @Field(() => String, { nullable: true, description: 'The name of that server.' })
  serverName: string | null;

  @Field(() => String, { nullable: true, description: 'The note of the member who approved it.' })
  note: string | null;

  @Field(() => ID, { nullable: true, description: 'The member who approved it.' })
  approvedBy: string | null;

  @Field(() => String, { nullable: true, description: 'The name of that member.' })
  approvedByName: string | null;

  @Field(() => GraphQLISODateTime)
  approvedAt: Date;

  @Field(() => Int, { description: 'The number of entries in files that it currently allows.' })
  entries: number;
}
