import { describe, expect, test } from 'vitest';
import {
  CREATED,
  ID,
  connect,
  errorOf,
  failed,
  openCloud,
  retrieved,
  soap,
} from '../../test/cloud.ts';

// Bodies as the documents of the SOAP API show them, and as tenants answered.

const EXTENSION = {
  name: 'Result',
  customerKey: 'mr_1',
  fields: [
    { name: 'Email', type: 'EmailAddress', isRequired: true },
    { name: 'Amount', type: 'Decimal', maxLength: 18, scale: 2 },
    { name: 'Note', type: 'Text', maxLength: null },
  ],
} as const;

describe('a data extension', () => {
  test('is created with its fields and a retention that removes it', async () => {
    const cloud = await openCloud();
    cloud.will(soap('CreateResponse', CREATED));
    const { unit, reports } = connect(cloud);
    expect(await unit.createDataExtension({ ...EXTENSION, keepDays: 2, folderId: '77' })).toEqual({
      objectId: ID,
      retention: true,
    });
    const [sent] = cloud.seen;
    const body = sent?.body;
    expect([sent?.path, sent?.headers['soapaction'], sent?.headers['content-type']]).toEqual([
      '/Service.asmx',
      'Create',
      'text/xml; charset=utf-8',
    ]);
    expect(body).toContain('<fueloauth xmlns="http://exacttarget.com">token-1</fueloauth>');
    expect(body).toContain(
      '<CreateRequest xmlns="http://exacttarget.com/wsdl/partnerAPI"><Objects xsi:type="DataExtension"><CustomerKey>mr_1</CustomerKey><Name>Result</Name><IsSendable>false</IsSendable><DataRetentionPeriodLength>2</DataRetentionPeriodLength><RowBasedRetention>false</RowBasedRetention><DeleteAtEndOfRetentionPeriod>false</DeleteAtEndOfRetentionPeriod><Fields>',
    );
    expect(body).toContain(
      '<Field><Name>Amount</Name><FieldType>Decimal</FieldType><MaxLength>18</MaxLength><Scale>2</Scale><IsPrimaryKey>false</IsPrimaryKey><IsRequired>false</IsRequired></Field><Field><Name>Note</Name><FieldType>Text</FieldType><IsPrimaryKey>',
    );
    expect(body).toContain('<DataRetentionPeriod>Days</DataRetentionPeriod><CategoryID>77<');
    expect(reports).toMatchObject([{ operation: 'soap:Create DataExtension', requests: 1 }]);
  });

  test.each([
    'You do not have permission to manage data retention.',
    'DataRetentionPeriodLength: the account may not set a retention.',
  ])('is created without the retention that an account may not set: %s', async (message) => {
    const cloud = await openCloud();
    cloud.will(failed(message, '310007'), soap('CreateResponse', CREATED));
    const { unit } = connect(cloud);
    expect(await unit.createDataExtension({ ...EXTENSION, keepDays: 2 })).toEqual({
      objectId: ID,
      retention: false,
    });
    expect(cloud.seen[1]?.body).not.toContain('Retention');

    cloud.will(failed(message, '310007'), failed(message, '310007'));
    await errorOf(unit.createDataExtension({ ...EXTENSION, keepDays: 2 }));
    cloud.will(failed(message, '310007'));
    await errorOf(unit.createDataExtension(EXTENSION));
    expect(cloud.seen).toHaveLength(5);
  });

  test.each([
    [
      'Updating an existing Data Extension definition is not allowed when doing an add-only operation.',
      '310007',
    ],
    ['DataExtensionProcessValidationErrorUpdateNotAllowed', '310003'],
    ['Name already exists', '1'],
  ])('that is there already: %s', async (message, code) => {
    const cloud = await openCloud();
    cloud.will(failed(message, code));
    const error = await errorOf(connect(cloud).unit.createDataExtension(EXTENSION));
    expect(error).toMatchObject({
      message,
      code,
      kind: 'duplicate',
      outcome: 'refused',
      retryable: false,
      status: 200,
    });
  });

  test('with two fields of one name is wrong and not a duplicate', async () => {
    const cloud = await openCloud();
    cloud.will(failed('Field names must be unique.', '310007'));
    const error = await errorOf(connect(cloud).unit.createDataExtension(EXTENSION));
    expect(error.kind).toBe('data');
  });

  test('needs a field', async () => {
    const { unit } = connect({ url: 'http://127.0.0.1:1' });
    const error = await errorOf(unit.createDataExtension({ ...EXTENSION, fields: [] }));
    expect(error).toMatchObject({ code: 'invalid_fields', outcome: 'notSent' });
  });

  test('is found by its key, or not at all', async () => {
    const cloud = await openCloud();
    const one = `<Results xsi:type="DataExtension"><PartnerKey xsi:nil="true" /><ObjectID>${ID}</ObjectID><CustomerKey>007</CustomerKey><Name>5e10 &amp; more&#13;&#x1F600; </Name></Results>`;
    cloud.will(retrieved(one), retrieved(''));
    const { unit } = connect(cloud);
    expect(await unit.findDataExtension('007')).toEqual({
      objectId: ID,
      customerKey: '007',
      name: '5e10 & more\r😀 ',
      createdAt: null,
      folderId: null,
    });
    expect(cloud.seen[0]?.body).toContain(
      '<Filter xsi:type="SimpleFilterPart"><Property>CustomerKey</Property><SimpleOperator>equals</SimpleOperator><Value>007</Value></Filter>',
    );
    expect(await unit.findDataExtension('b')).toBeNull();
    expect(await errorOf(unit.findDataExtension(''))).toMatchObject({ code: 'invalid_id' });
  });

  test('lists are read to their end, and hold only what begins so', async () => {
    const cloud = await openCloud();
    const results = (...keys: string[]): string =>
      keys
        .map((key) => `<Results><CustomerKey>${key}</CustomerKey><Name>n</Name></Results>`)
        .join('');
    cloud.will(
      retrieved(results('mr_1', 'mrx1'), 'MoreDataAvailable', 'page-2'),
      retrieved(results('MR_3', 'mr_2'), 'OK', 'page-2'),
    );
    const { unit, cloud: connected } = connect(cloud);
    const found = await unit.dataExtensions('mr_');
    expect(found.map(({ customerKey }) => customerKey)).toEqual(['mr_1', 'mr_2']);
    expect(cloud.seen[0]?.body).toContain(
      '<SimpleOperator>like</SimpleOperator><Value>mr_%</Value>',
    );
    expect(cloud.seen[1]?.body).toContain(
      '</Filter><ContinueRequest>page-2</ContinueRequest></RetrieveRequest>',
    );
    cloud.will(retrieved(results('a[b]c', 'ab')));
    const odd = await unit.dataExtensions('a[b]');
    expect(odd.map(({ customerKey }) => customerKey)).toEqual(['a[b]c']);
    expect(cloud.seen.at(-1)?.body).toContain('<Value>a%</Value>');

    cloud.will(retrieved(results('a')));
    expect(await unit.dataExtensions('')).toHaveLength(1);
    expect(cloud.seen.at(-1)?.body).not.toContain('<Filter');
    expect(connected.stats()).toEqual({
      calls: 4,
      byOperation: { 'soap:Retrieve DataExtension': 4 },
      tokens: 1,
    });
  });

  test('fields come in their order', async () => {
    const cloud = await openCloud();
    cloud.will(
      retrieved(
        '<Results><Name>b</Name><FieldType>Decimal</FieldType><MaxLength>18</MaxLength><Scale>2</Scale><Ordinal>1</Ordinal><IsPrimaryKey>false</IsPrimaryKey><IsRequired>true</IsRequired></Results><Results><Name>a</Name><FieldType>Text</FieldType><Ordinal>0</Ordinal><IsPrimaryKey>true</IsPrimaryKey><IsRequired>true</IsRequired></Results>',
      ),
    );
    expect(await connect(cloud).unit.fields('mr_1')).toEqual([
      { name: 'a', type: 'Text', maxLength: null, isPrimaryKey: true, isRequired: true },
      {
        name: 'b',
        type: 'Decimal',
        maxLength: 18,
        scale: 2,
        isPrimaryKey: false,
        isRequired: true,
      },
    ]);
  });

  test('is deleted, and one that is gone is no error', async () => {
    const cloud = await openCloud();
    const ok = `<Results><StatusCode>OK</StatusCode></Results><OverallStatus>OK</OverallStatus>`;
    cloud.will(
      soap('DeleteResponse', ok),
      failed('DataExtensionProcessValidationErrorDeleteObjectNotFound', '310002', 'DeleteResponse'),
    );
    const { unit } = connect(cloud);
    expect(await unit.deleteDataExtension('mr_1')).toBe(true);
    expect(await unit.deleteDataExtension('mr_1')).toBe(false);
    expect(await errorOf(unit.deleteDataExtension(''))).toMatchObject({ outcome: 'notSent' });
  });
});
