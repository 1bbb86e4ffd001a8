import { Field, ObjectType } from '@nestjs/graphql';
import type {
  Oddity,
  OddityKind,
  Package,
  PackageManager,
  ParseProblem,
  SecretPlace,
  SecretType,
} from '../configuration-file.js';
import { OddityKindEnum, PackageManagerEnum } from './enums.js';

/** The shapes of what an entry is made of, for GraphQL; they are kept as JSON. */

@ObjectType({ description: 'What a launcher such as npx, uvx or docker would fetch and run.' })
export class EstatePackage implements Package {
  @Field(() => PackageManagerEnum)
  manager: PackageManager;

  @Field()
  name: string;

  @Field(() => String, { nullable: true, description: 'As written: "1.2.3", "^2", "latest".' })
  versionSpec: string | null;

  @Field({ description: 'The same code tomorrow: an exact version, a digest or a whole commit.' })
  isPinned: boolean;
}

@ObjectType({ description: 'A secret that is written out in a file. Its value was replaced before anything was kept.' })
export class EstateSecret implements SecretPlace {
  @Field(() => String, {
    description:
      'What it looks like: "github_token", "bearer_token", …; "generic" where only its place tells that it is one.',
  })
  type: SecretType;

  @Field({ description: 'JSON pointer inside the entry.' })
  place: string;

  @Field({
    description: 'The same for the same value, everywhere in the organization. Nobody can tell the value by it.',
  })
  fingerprint: string;
}

@ObjectType({ description: 'Something odd about how it is written.' })
export class EstateOddity implements Oddity {
  @Field(() => OddityKindEnum)
  kind: OddityKind;

  @Field({ description: 'JSON pointer; "" is the path or the whole.' })
  place: string;

  @Field({ description: 'What exactly, made visible.' })
  detail: string;
}

@ObjectType({ description: 'What could not be understood, and why.' })
export class EstateProblem implements ParseProblem {
  @Field({ description: 'JSON pointer, or a path; "" is the whole.' })
  place: string;

  @Field()
  reason: string;
}
