import { Field, ObjectType } from '@nestjs/graphql';
import type { Oddity, OddityKind, Package, PackageManager, ParseProblem, SecretPlace } from './configuration-file.js';
import type { SecretType } from '../platform/secrets/secret-types.js';
import { OddityKindEnum, PackageManagerEnum } from './enums.js';

/** GraphQL types of the parts of an entry, which are stored as JSON. */

@ObjectType({ description: 'The package that a launcher such as npx, uvx or docker would fetch and run.' })
export class EstatePackage implements Package {
  @Field(() => PackageManagerEnum)
  manager: PackageManager;

  @Field()
  name: string;

  @Field(() => String, { nullable: true, description: 'As written: "1.2.3", "^2", "latest".' })
  versionSpec: string | null;

  @Field({ description: 'Always resolves to the same code: an exact version, a digest or a full commit.' })
  isPinned: boolean;
}

@ObjectType({ description: 'A plaintext secret in a file. Its value was replaced before anything was stored.' })
export class EstateSecret implements SecretPlace {
  @Field(() => String, {
    description:
      'The recognized type: "github_token", "bearer_token", …; "generic" if only its place or its randomness marks it as a secret.',
  })
  type: SecretType;

  @Field({ description: 'JSON pointer inside the entry.' })
  place: string;

  @Field({
    description: 'Equal for equal values everywhere in the organization. It does not reveal the value.',
  })
  fingerprint: string;
}

@ObjectType({ description: 'An oddity in how something is written.' })
export class EstateOddity implements Oddity {
  @Field(() => OddityKindEnum)
  kind: OddityKind;

  @Field({ description: 'JSON pointer; "": the path or the whole.' })
  place: string;

  @Field({ description: 'The details, with hidden characters escaped.' })
  detail: string;
}

@ObjectType({ description: 'Something that could not be parsed or read, and why.' })
export class EstateProblem implements ParseProblem {
  @Field({ description: 'JSON pointer, or a path; "": the whole file.' })
  place: string;

  @Field()
  reason: string;
}
