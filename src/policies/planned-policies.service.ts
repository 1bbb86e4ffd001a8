import { Injectable } from '@nestjs/common';
import type { Tx } from '../platform/database/tx.js';
import type { Principal } from '../principal/principal.js';
import type { PolicyTextFinding, Vocabulary } from './check.js';
import { namedEntitiesOf } from './entity-names.port.js';
import { PolicyTextChecker } from './policy-text-checker.service.js';
import { VocabularyService } from './vocabulary.service.js';

/** A policy text with the names that it can use. */
export interface PlannedPolicy {
  text: string;
  vocabulary: Vocabulary;
}

/**
 * Checks texts for configurations that do not exist yet. The names are read in a transaction that creates everything and
 * is rolled back; checking takes too long for a transaction.
 */
@Injectable()
export class PlannedPoliciesService {
  constructor(
    private readonly vocabularies: VocabularyService,
    private readonly checks: PolicyTextChecker,
  ) {}

  async load(tx: Tx, principal: Principal, configurationId: string, text: string): Promise<PlannedPolicy> {
    const members = namedEntitiesOf(text).flatMap(({ type, id }) => (type === 'Member' ? [id] : []));
    return { text, vocabulary: await this.vocabularies.load(tx, principal, configurationId, members) };
  }

  /** Why the text cannot be published. */
  async findErrors(principal: Principal, { text, vocabulary }: PlannedPolicy): Promise<PolicyTextFinding[]> {
    return (await this.checks.check(principal, text, async () => vocabulary)).errors;
  }
}
