import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The first names of the index partitions' table and column, replaced by the term that the code uses. */
export class IndexPartitions1800000002720 implements MigrationInterface {
  name = 'IndexPartitions1800000002720';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table shelves rename to index_partitions;
      alter index shelves_pkey rename to index_partitions_pkey;
      alter index shelves_by_connection rename to index_partitions_by_connection;
      alter table index_partitions rename constraint shelves_kind_check to index_partitions_kind_check;
      alter table index_partitions rename constraint shelves_tenant_id_connection_id_fkey
        to index_partitions_tenant_id_connection_id_fkey;
      alter table documents rename shelf_id to partition_id;
      alter table documents rename constraint documents_tenant_id_shelf_id_fkey to documents_tenant_id_partition_id_fkey;
      alter table postings rename shelf_id to partition_id;
      alter table passage_vectors rename shelf_id to partition_id;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table passage_vectors rename partition_id to shelf_id;
      alter table postings rename partition_id to shelf_id;
      alter table documents rename constraint documents_tenant_id_partition_id_fkey to documents_tenant_id_shelf_id_fkey;
      alter table documents rename partition_id to shelf_id;
      alter table index_partitions rename constraint index_partitions_tenant_id_connection_id_fkey
        to shelves_tenant_id_connection_id_fkey;
      alter table index_partitions rename constraint index_partitions_kind_check to shelves_kind_check;
      alter index index_partitions_by_connection rename to shelves_by_connection;
      alter index index_partitions_pkey rename to shelves_pkey;
      alter table index_partitions rename to shelves;
    `);
  }
}
