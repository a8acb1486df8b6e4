// The engines of `merge`, each set up as its own documentation advises, and as fast as its options allow.

import { createReport } from 'docx-templates';
import Docxtemplater from 'docxtemplater';
import { TemplateHandler } from 'easy-template-x';
import PizZip from 'pizzip';
import { compile } from '@millrace/docx';
import { dialects, invoiceTemplate } from './invoice.mjs';

const valueAt = (scope, keys) => keys.reduce((at, key) => at?.[key], scope);

/** Key → name, and `open`, which is not measured and gives the function that is: data → DOCX. */
export const mergers = {
  millrace: {
    name: 'Millrace, compiled once',
    open() {
      const template = compile(invoiceTemplate(dialects.millrace));
      return (data) => template.merge(data);
    },
  },
  /** Only reported: the first merge of a template, with nothing in the cache. */
  millraceCold: {
    name: 'Millrace, compiled each time',
    open() {
      const bytes = invoiceTemplate(dialects.millrace);
      return (data) => compile(bytes).merge(data);
    },
  },
  docxTemplates: {
    name: 'docx-templates',
    open() {
      const template = invoiceTemplate(dialects.docxTemplates);
      const cmdDelimiter = ['{{', '}}'];
      // Without its sandbox and without indented XML: both cost time, and neither is needed here.
      const options = { cmdDelimiter, noSandbox: true, indentXml: false, compressionLevel: 1 };
      return (data) => createReport({ template, data, ...options });
    },
  },
  docxtemplater: {
    name: 'docxtemplater',
    open() {
      const template = invoiceTemplate(dialects.docxtemplater);
      // It parses the template again for each document: an instance renders once. Its own parser does not know
      // dotted paths, the one that it recommends compiles expressions; this is the least that does.
      const parser = (tag) => {
        const keys = tag.split('.');
        return { get: (scope) => valueAt(scope, keys) };
      };
      const options = { parser, paragraphLoop: true, linebreaks: true };
      return (data) => {
        const document = new Docxtemplater(new PizZip(template), options);
        document.render(data);
        return document.getZip().generate({
          type: 'nodebuffer',
          compression: 'DEFLATE',
          compressionOptions: { level: 1 },
        });
      };
    },
  },
  easyTemplateX: {
    name: 'easy-template-x',
    open() {
      const template = invoiceTemplate(dialects.easyTemplateX);
      // Its own resolver does not know dotted paths either; this one does less than its own.
      const scopeDataResolver = ({ strPath, data }) => valueAt(data, strPath.join('.').split('.'));
      const handler = new TemplateHandler({ scopeDataResolver });
      return (data) => handler.process(template, data);
    },
  },
};
