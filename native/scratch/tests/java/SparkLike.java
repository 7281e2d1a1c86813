import java.io.*; import java.nio.*; import java.nio.channels.*; import java.nio.file.*; import java.nio.file.attribute.*; import java.net.*; import java.util.*; import java.nio.charset.StandardCharsets;
public class SparkLike {
  static void check(boolean b, String what){ if(!b) throw new RuntimeException("FAILED "+what); }
  static byte[] body(int n, int seed){ byte[] b=new byte[n]; new Random(seed).nextBytes(b); return b; }
  public static void main(String[] a) throws Exception {
    Path root=Paths.get(a[0]); Path dir=root.resolve("blockmgr-1/0c"); Files.createDirectories(dir);
    check(new File(dir.toString()).isDirectory(),"isDirectory");
    byte[] b=body(200000,1);
    // shuffle data: tmp, append, transferTo, rename
    Path tmp=dir.resolve("shuffle_0_0_0.data.tmp"); 
    try(FileOutputStream o=new FileOutputStream(tmp.toFile(), true)){ for(int i=0;i<b.length;i+=32768) o.write(b,i,Math.min(32768,b.length-i)); check(o.getChannel().position()==b.length,"pos"); }
    Path spill=dir.resolve("spill"); 
    try(FileChannel in=FileChannel.open(tmp,StandardOpenOption.READ); FileChannel out=FileChannel.open(spill,StandardOpenOption.CREATE,StandardOpenOption.WRITE,StandardOpenOption.APPEND)){ long n=0; while(n<b.length) n+=in.transferTo(n,b.length-n,out); }
    check(Arrays.equals(Files.readAllBytes(spill),b),"transferTo");
    try(FileOutputStream o=new FileOutputStream(dir.resolve("fos").toFile(), true); FileInputStream in=new FileInputStream(tmp.toFile())){ long n=0; while(n<b.length) n+=in.getChannel().transferTo(n,b.length-n,o.getChannel()); }
    check(Arrays.equals(Files.readAllBytes(dir.resolve("fos")),b),"transferTo append");
    File f=dir.resolve("shuffle_0_0_0.data").toFile(); check(!f.exists(),"exists"); check(tmp.toFile().renameTo(f),"rename"); check(f.length()==b.length,"length"); check(!tmp.toFile().exists(),"gone");
    // index
    File idx=dir.resolve("shuffle_0_0_0.index").toFile();
    try(DataOutputStream d=new DataOutputStream(new BufferedOutputStream(new FileOutputStream(idx)))){ for(int i=0;i<=200;i++) d.writeLong(i*1000L); }
    try(SeekableByteChannel c=Files.newByteChannel(idx.toPath())){ c.position(100*8); DataInputStream d=new DataInputStream(Channels.newInputStream(c)); check(d.readLong()==100000,"index"); }
    // raf
    try(RandomAccessFile r=new RandomAccessFile(f,"rw")){ r.seek(1000); byte[] q=new byte[5000]; r.readFully(q); check(Arrays.equals(q,Arrays.copyOfRange(b,1000,6000)),"raf"); r.seek(10); r.write(b,10,20); check(r.length()==b.length,"raf len"); r.setLength(b.length+10); r.setLength(b.length);
      FileLock l=r.getChannel().lock(); check(l.isValid(),"lock"); l.release();
      MappedByteBuffer m=r.getChannel().map(FileChannel.MapMode.READ_ONLY,0,b.length); byte[] all=new byte[b.length]; m.get(all); check(Arrays.equals(all,b),"mmap"); 
      MappedByteBuffer m2=r.getChannel().map(FileChannel.MapMode.READ_ONLY,12345,777); byte[] part=new byte[777]; m2.get(part); check(Arrays.equals(part,Arrays.copyOfRange(b,12345,12345+777)),"mmap part");
    }
    Path rw=dir.resolve("rwmap"); try(FileChannel c=FileChannel.open(rw,StandardOpenOption.CREATE,StandardOpenOption.READ,StandardOpenOption.WRITE)){ MappedByteBuffer m=c.map(FileChannel.MapMode.READ_WRITE,0,100000); m.put(b,0,100000); m.force(); }
    check(Arrays.equals(Files.readAllBytes(rw),Arrays.copyOf(b,100000)),"rw map");
    // map, close, delete, then read
    MappedByteBuffer held; try(FileChannel c=FileChannel.open(spill,StandardOpenOption.READ)){ held=c.map(FileChannel.MapMode.READ_ONLY,0,b.length);} Files.delete(spill);
    for(int i=0;i<20;i++){ Files.write(dir.resolve("x"+i), body(150000,i)); Files.delete(dir.resolve("x"+i)); }
    byte[] hb=new byte[b.length]; held.get(hb); check(Arrays.equals(hb,b),"map outlives file");
    // sendfile to socket
    try(ServerSocketChannel ss=ServerSocketChannel.open().bind(new InetSocketAddress("127.0.0.1",0))){ 
      byte[] got=new byte[b.length]; Thread t=new Thread(()->{ try(SocketChannel c=ss.accept()){ ByteBuffer bb=ByteBuffer.wrap(got); while(bb.hasRemaining() && c.read(bb)>=0); }catch(IOException e){e.printStackTrace();} }); t.start();
      try(SocketChannel c=SocketChannel.open(ss.getLocalAddress()); FileChannel in=FileChannel.open(f.toPath())){ long n=0; while(n<b.length) n+=in.transferTo(n,b.length-n,c); } t.join(); check(Arrays.equals(got,b),"sendfile"); }
    // list
    Set<String> names=new TreeSet<>(); try(DirectoryStream<Path> ds=Files.newDirectoryStream(dir)){ for(Path p:ds) names.add(p.getFileName().toString()); }
    check(names.equals(new TreeSet<>(Arrays.asList("shuffle_0_0_0.data","shuffle_0_0_0.index","rwmap","fos"))),"list "+names);
    check(new TreeSet<>(Arrays.asList(dir.toFile().list())).equals(names),"File.list");
    try(DirectoryStream<Path> ds=Files.newDirectoryStream(dir)){ check(ds instanceof SecureDirectoryStream,"secure"); SecureDirectoryStream<Path> s=(SecureDirectoryStream<Path>)ds; 
       try(SeekableByteChannel c=s.newByteChannel(Paths.get("sec"),EnumSet.of(StandardOpenOption.CREATE,StandardOpenOption.WRITE))){ c.write(ByteBuffer.wrap(b,0,100)); }
       check(s.getFileAttributeView(Paths.get("sec"),BasicFileAttributeView.class).readAttributes().size()==100,"sec size"); s.move(Paths.get("sec"),s,Paths.get("sec2")); s.deleteFile(Paths.get("sec2")); }
    FileStore st=Files.getFileStore(f.toPath()); check(st.getUsableSpace()>0,"store "+st); check(f.getUsableSpace()>0,"usable");
    Path t1=Files.createTempFile(dir,"pre",".tmp"); check(Files.size(t1)==0,"temp"); Files.setPosixFilePermissions(t1,PosixFilePermissions.fromString("rw-r-----")); check(PosixFilePermissions.toString(Files.getPosixFilePermissions(t1)).equals("rw-r-----"),"perms");
    Files.setLastModifiedTime(t1, FileTime.fromMillis(1234567000L)); check(Files.getLastModifiedTime(t1).toMillis()==1234567000L,"mtime");
    File t2=File.createTempFile("abc","def",dir.toFile()); check(t2.delete(),"del");
    Files.copy(f.toPath(), dir.resolve("copy")); check(Files.mismatch(f.toPath(),dir.resolve("copy"))<0,"copy"); Files.move(dir.resolve("copy"),dir.resolve("copy2"),StandardCopyOption.ATOMIC_MOVE,StandardCopyOption.REPLACE_EXISTING);
    Path out=Files.createTempFile("weft","out"); Files.copy(f.toPath(),out,StandardCopyOption.REPLACE_EXISTING); check(Files.mismatch(f.toPath(),out)<0,"copy out"); Files.move(out,dir.resolve("moved-in")); check(Files.mismatch(f.toPath(),dir.resolve("moved-in"))<0,"move in");
    check(f.getCanonicalPath().equals(f.getPath()),"canonical "+f.getCanonicalPath()); check(f.toPath().toRealPath().toString().equals(f.getPath()),"realpath"); check(Files.isSameFile(f.toPath(),dir.resolve("../0c/shuffle_0_0_0.data")),"same");
    check(new File(dir.toFile(),"../../nothing").exists()==false,"missing");
    Files.writeString(dir.resolve("txt"),"héllo\n"); check(Files.readString(dir.resolve("txt")).equals("héllo\n"),"text"); check(Files.lines(dir.resolve("txt")).count()==1,"lines");
    Files.walk(root).sorted(Comparator.reverseOrder()).filter(p->!p.equals(root)).forEach(p->p.toFile().delete()); check(root.toFile().list().length==0,"empty");
    System.out.println("OK "+System.getProperty("java.version"));
  }
}
