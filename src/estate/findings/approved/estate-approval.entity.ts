import { Field, GraphQLISODateTime, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { approvedKinds, type ApprovedKind } from './approved-list.js';

export const ApprovedKindEnum = Object.fromEntries(approvedKinds.map((kind) => [kind, kind])) as Record<
  ApprovedKind,
  ApprovedKind
>;
registerEnumType(ApprovedKindEnum, {
  name: 'EstateApprovalKind',
  description: 'By what servers are approved.',
  valuesMap: {
    package: { description: 'Whatever is run from a package, in any version: "npm:@scope/name".' },
    host: { description: 'Whatever is reached at a host: "tools.example.com", "*.example.com".' },
    definition: { description: 'Exactly one definition, by its hash: any change has to be approved again.' },
  },
});

@ObjectType({ description: 'A line on the list of servers that assistants may use.' })
export class EstateApproval {
  @Field(() => ID)
  id: string;

  @Field(() => ApprovedKindEnum)
  kind: ApprovedKind;

  @Field({ description: 'The package, the host or the hash, in one spelling.' })
  value: string;

  @Field(() => ID, { nullable: true, description: 'The server whose definition it is.' })
  serverId: string | null;

  @Field(() => String, { nullable: true, description: 'What that server is called.' })
  serverName: string | null;

  @Field(() => String, { nullable: true, description: 'What it is for, in the words of whoever approved it.' })
  note: string | null;

  @Field(() => ID, { nullable: true, description: 'The member who approved it.' })
  approvedBy: string | null;

  @Field(() => String, { nullable: true, description: 'The name of that member.' })
  approvedByName: string | null;

  @Field(() => GraphQLISODateTime)
  approvedAt: Date;

  @Field(() => Int, { description: 'How many entries of files it allows now.' })
  entries: number;
}
