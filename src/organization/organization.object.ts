import { Field, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { JsonScalar } from '../platform/graphql/json.scalar.js';
import type { DocumentFieldChange } from './document-diff.js';
import type { ChangeAction } from './organization-plan.js';

const changeActions = { create: 'create', update: 'update', delete: 'delete' } as const satisfies Record<
  ChangeAction,
  ChangeAction
>;
registerEnumType(changeActions, { name: 'OrganizationChangeAction' });

@ObjectType({ description: 'A credential whose value the application of the plan needs.' })
export class NeededSecret {
  @Field({ description: 'The name of the credential.' })
  secret: string;

  @Field({ description: 'The environment variable that the document names.' })
  environment: string;
}

@ObjectType({ description: 'An object that differs from its document.' })
export class OrganizationChange {
  @Field(() => changeActions)
  action: ChangeAction;

  @Field({ description: 'The kind of the document, such as connection.' })
  kind: string;

  @Field()
  name: string;

  @Field(() => JsonScalar, {
    description: 'The fields that differ: [{"path": "settings.url", "before": …, "after": …}]. Absent: not set.',
  })
  fields: DocumentFieldChange[];

  @Field(() => [NeededSecret])
  secrets: NeededSecret[];

  @Field({ description: 'An admin token cannot make it: a person in a session confirms it.' })
  needsSession: boolean;
}

@ObjectType({ description: 'An object without a document. It stays as it is.' })
export class UnmanagedObject {
  @Field()
  kind: string;

  @Field()
  name: string;
}

@ObjectType('OrganizationPlan', { description: 'What applying documents would change.' })
export class OrganizationPlanObject {
  @Field({ description: 'Covers everything that the plan shows. "applyOrganization" takes it.' })
  hash: string;

  @Field(() => [OrganizationChange])
  changes: OrganizationChange[];

  @Field(() => Int)
  unchanged: number;

  @Field(() => [UnmanagedObject])
  unmanaged: UnmanagedObject[];
}
