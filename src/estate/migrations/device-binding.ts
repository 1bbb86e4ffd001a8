import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whose a device's inventory is: the key of its first upload, and the secret that the device showed first. */
export class DeviceBinding1790000001560 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // devices from before have neither: their next upload binds them
    await runner.query('alter table estate_sources add column key_id uuid, add column device_secret_hash bytea');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table estate_sources drop column key_id, drop column device_secret_hash');
  }
}
