import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A program may propose a change. Where one administrator is enough, the owner of its token confirms it in a session. */
export class ChangesByTokens1800000002500 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table proposed_changes add column by_token boolean not null default false;
      alter table proposed_changes drop constraint proposed_changes_check2;
      alter table proposed_changes add constraint proposed_changes_second_person
        check (state <> 'confirmed' or decided_by <> proposed_by or (by_token and areas = '{}'))`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table proposed_changes drop constraint proposed_changes_second_person;
      alter table proposed_changes add constraint proposed_changes_check2
        check (state <> 'confirmed' or decided_by <> proposed_by) not valid;
      alter table proposed_changes drop column by_token`);
  }
}
